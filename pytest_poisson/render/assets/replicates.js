// A failing replicate: how it ended, what is known of it, its spans as a tree, and the command that runs it again.
function replicate(each) {
  var arm = data.arms.length > 1 ? data.arms[each.arm] + ", " : "";
  var t = each.facts.filter(function (fact) { return fact[0] === "t"; }).map(function (fact) { return " at t = " + fact[1]; });
  var partner = each.partner ? " (in the other run: " + each.partner + ")" : "";
  var summary = make("summary", { text: arm + "replicate " + each.number + ": " + each.ended + t.join("") + partner });
  var body = make("div");
  var list = make("dl", { "class": "facts" });
  each.facts.forEach(function (fact) {
    list.append(make("div", {}, make("dt", { text: fact[0] }), make("dd", { text: fact[1] })));
  });
  if (each.facts.length) { body.append(list); }
  if (each.error) { body.append(make("pre", { "class": "error", tabindex: "0", text: each.error })); }
  if (each.spans.length) { body.append(spanTree(each.spans)); } else { body.append(make("p", { text: "It left no spans." })); }
  if (each.cut) { body.append(make("p", { text: each.cut })); }
  if (each.command) {
    body.append(make("p", { text: "Run it again:" }), make("pre", { tabindex: "0", text: each.command }));
  }
  return make("details", { "class": "replicate" }, summary, body);
}

function spanTree(spans) {
  var top = make("ul", { "class": "spans" }), lists = [top], depth = 0, item = null;
  spans.forEach(function (span) {
    while (depth < span.depth && item) {
      var inner = make("ul");
      item.append(inner);
      lists.push(inner);
      depth += 1;
    }
    while (depth > span.depth) { lists.pop(); depth -= 1; }
    item = make("li", {}, spanLine(span), spanTexts(span));
    lists[lists.length - 1].append(item);
  });
  return top;
}

function spanLine(span) {
  var facts = [span.step ? "step " + span.step : "", "after " + span.after, "took " + span.took, span.tokens || ""];
  return make("div", {}, make("b", { text: span.kind + " " + span.name }),
    make("span", { text: (span.model ? " (" + span.model + ")" : "") + ": " + facts.filter(Boolean).join(", ") }));
}

function spanTexts(span) {
  var texts = make("div", { "class": "texts" });
  if (span.error) { texts.append(make("pre", { "class": "error", tabindex: "0", text: span.error })); }
  ["input", "output"].forEach(function (side) {
    if (span[side]) { texts.append(make("div", { text: side }), make("pre", { tabindex: "0", text: span[side] })); }
  });
  if (span.cut) { texts.append(make("div", { text: span.cut })); }
  return texts.childNodes.length ? texts : null;
}
