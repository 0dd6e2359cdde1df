// What a row says when it is opened: its figures, how each arm's replicates ended, and the failing ones.
function details(row) {
  var body = make("div", { "class": "opened" }, facts(row)), condition = row.condition;
  if (condition.ends) {
    body.append(make("h3", { text: "How replicates ended" }));
    condition.ends.forEach(function (counts, arm) { body.append(outcomeBar(data.arms[arm], counts)); });
    body.append(failing(row.at, condition));
  }
  return body;
}

function outcomeBar(name, counts) {
  var whole = counts.reduce(function (sum, count) { return sum + count; }, 0);
  var bar = make("div", { "class": "bar" }), key = make("ul", { "class": "key" });
  counts.forEach(function (count, at) {
    if (!count) { return; }
    var part = make("span", { "class": "part part-" + at % 8 });
    part.style.width = 100 * count / whole + "%";
    bar.append(part);
    key.append(make("li", {}, make("span", { "class": "chip part part-" + at % 8 }),
      make("span", { text: data.words[at].replace("_", " ") + " " + count })));
  });
  return make("div", { "class": "arm" }, make("div", { text: name + ": " + whole + " replicates" }), bar, key);
}

function failing(at, condition) {
  var shown = data.replicates.filter(function (each) { return each.condition === at; });
  var body = make("div", {}, make("h3", { text: "Failing replicates" }));
  var counts = condition.failed.map(function (total, arm) {
    var here = shown.filter(function (each) { return each.arm === arm; }).length;
    return here + " of " + total + (data.arms.length > 1 ? " in " + data.arms[arm] : "");
  });
  body.append(make("p", { text: counts.join(", ") + " shown here." }));
  shown.forEach(function (each) { body.append(replicate(each)); });
  return body;
}
