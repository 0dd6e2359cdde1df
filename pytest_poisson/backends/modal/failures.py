"""What Modal's client raises, as what it means for a sweep.

By the names of its exceptions, which are the same from 1.4 to 1.6; nothing of Modal is imported here.
"""

from __future__ import annotations

from pytest_poisson.backends.modal.delivery import LostError
from pytest_poisson.errors import UserError

LOST = ("InternalFailure", "RemoteError")
BUSY = ("ResourceExhaustedError",)

SENTENCES = {
    "AuthError": "Modal does not accept this machine's credentials ({error}); run `modal token new`, or set "
    "MODAL_TOKEN_ID and MODAL_TOKEN_SECRET.",
    "PermissionDeniedError": "Modal does not permit this account what the sweep needs: {error}.",
    "NotFoundError": "Modal does not have what the settings name: {error}.",
    "ImageBuildError": "The container image could not be built: {error}; check poisson_modal_requirements and "
    "poisson_modal_packages.",
    "RemoteError": "The containers could not be set up: {error}; check poisson_modal_requirements and "
    "poisson_modal_packages.",
    "InvalidError": "Modal does not accept the settings: {error}.",
    "VersionError": "Modal does not talk to this version of its client any more: {error}.",
    "UnimplementedError": "This version of Modal's client and its server do not understand each other: {error}.",
    "ConnectionError": "Modal cannot be reached: {error}.",
    "ServiceError": "Modal cannot be reached: {error}.",
    "MountUploadTimeoutError": "The project could not be uploaded in time: {error}.",
}
"""For each kind, a sentence; the most special kind of an exception decides."""


def is_busy(error: BaseException) -> bool:
    """Tell whether Modal takes no more calls for the moment."""
    return any(name in BUSY for name in _kinds(error))


def meaning_of_call(error: Exception) -> Exception:
    """Return what it means that a call raised: its container is lost, or the sweep cannot go on.

    The function in the container raises nothing; so what is not Modal's own says that no container can start.
    """
    kinds = _kinds(error)
    if "FunctionTimeoutError" in kinds:
        return LostError(f"it did not end in time: {_text(error)}", cause="timed_out")
    if any(name in LOST for name in kinds):
        return LostError(_text(error) or type(error).__name__)
    if type(error).__module__.partition(".")[0] == "modal":
        return meaning_of_session(error)
    return UserError(
        f"Containers end before they can run anything ({type(error).__name__}: {_text(error)}); "
        "check poisson_modal_requirements and poisson_modal_packages."
    )


def meaning_of_session(error: BaseException) -> UserError:
    """Return what it means that Modal's client failed as a whole, in a sentence."""
    if isinstance(error, UserError):
        return error
    sentence = next((SENTENCES[name] for name in _kinds(error) if name in SENTENCES), None)
    if sentence is None:
        return UserError(f"Modal's client failed ({type(error).__name__}: {_text(error)}).")
    return UserError(sentence.format(error=_text(error) or type(error).__name__))


def _kinds(error: BaseException) -> list[str]:
    return [kind.__name__ for kind in type(error).__mro__]


def _text(error: BaseException) -> str:
    """Return an exception's text as part of a sentence: on one line, without the full stop."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return " ".join(lines)[:600].rstrip(".")
