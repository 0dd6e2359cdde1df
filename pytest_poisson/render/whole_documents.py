"""The comparison as a whole as a part of a JSON document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.render.documents import probability

if TYPE_CHECKING:
    from pytest_poisson.analyses.whole import Node, Whole, WholeEvent
    from pytest_poisson.render.documents import Document


def whole_document(whole: Whole) -> Document:
    """Return the tests of the whole, the tree of each event, and the coverage."""
    return {
        "events": [_event(each) for each in whole.events],
        "coverage": {
            "planned_before": whole.planned_before,
            "planned_after": whole.planned_after,
            "common": whole.common,
            "absent_before": whole.absent_before,
            "absent_after": whole.absent_after,
            "skipped": whole.skipped,
        },
    }


def _event(each: WholeEvent) -> Document:
    found = each.omnibus
    return {
        "event": each.event.name,
        "rollout": each.event.rollout,
        "omnibus": {
            "changed": each.changed,
            "p": found.p,
            "location": found.location,
            "p_location": found.p_location,
            "dispersion": found.dispersion,
            "p_dispersion": found.p_dispersion,
            "floor": found.floor,
            "conditions": found.conditions,
            "informative": found.informative,
            "permutations": found.permutations,
            "seed": found.seed,
        },
        "root": _node(each.root),
        "groups": [
            {**_node(group.node), "below": [_node(node) for node in group.below]} for group in each.groups
        ],
        "bound": each.bound,
        "bound_established": False,
    }


def _node(node: Node) -> Document:
    return {
        "axis": node.axis,
        "value": node.value,
        "conditions": [condition.key for condition in node.conditions],
        "p": probability(node.p),
        "log_p": node.log_p,
        "level": node.level,
        "changed": node.changed,
        "change": node.change,
        "resolvable": node.resolvable,
    }
