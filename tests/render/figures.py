"""How a report's page must write the figures of its JSON: an own reading of the rules, in the tests alone."""

import json


def data_of(page):
    """Return what the page's script reads."""
    block = page.partition('<script type="application/json" id="data">')[2].partition("</script>")[0]
    return json.loads(block)


def signed(value):
    """Write a change of at least 0.0005, or none."""
    return "-" if value is None else "0.000" if value == 0 else f"{round(value, 12):+.3f}"


def rate(value):
    """Write a rate with 3 decimals, 0.000 and 1.000 kept for none and all."""
    text = f"{round(value, 12):.3f}"
    if text == "0.000" and value > 0:
        return "<0.001"
    return ">0.999" if text == "1.000" and value < 1 else text


def share(count):
    """Write a count with its rate."""
    return f"{count['events']}/{count['outcomes']} = {rate(count['rate'])}"


def bound(limit):
    """Write a limit."""
    words = {"no room": "no room", "none detectable": "none"}
    return f"{limit['size']:.3f}" if limit["status"] == "limit" else words[limit["status"]]


def probability(p):
    """Write a p-value: 3 decimals, or two digits and a power of ten below 0.001."""
    if p >= 0.001:
        return f"{p:.3f}"
    mantissa, _, exponent = f"{p:.1e}".partition("e")
    return f"{mantissa}e{int(exponent):03d}"


def cells_of(row):
    """Return the cells that a row of a comparison's table has after its condition and its event."""
    words = {"no significant change": "no change", "too small to tell": "too small"}
    word = words.get(row["word"], row["word"])
    weak = row["word"] in {"worse", "safer"} and not row["counted"]
    return [
        *(f"{row[side]['events']}/{row[side]['outcomes']}" for side in ("before", "after")),
        signed(row["change"]),
        f"{signed(row['low'])} to {signed(row['high'])}",
        f"({word})" if weak else word,
        bound(row["rise"]),
        bound(row["fall"]),
    ]


def facts_of(row):
    """Return some of the facts that an opened row of a paired comparison states, by name."""
    pairs = "{only_before} only before, {only_after} only after, {both} both, {neither} neither"
    return {
        "before": share(row["before"]),
        "after": share(row["after"]),
        "change": signed(row["change"]),
        "limit on a rise": bound(row["rise"]),
        "limit on a fall": bound(row["fall"]),
        "p": probability(row["p"]),
        "p, adjusted (Holm)": probability(row["p_holm"]),
        "pairs": pairs.format(**row["pairs"]),
    }


def label_of(row):
    """Return what a row's condition is called, where there is one rollout."""
    return ", ".join(str(value) for value in row["axes"].values())
