// Where conditions stand in the picture: the axis across, the axes down, and a part for each combination of the rest.
var MOST_CELLS = 400, MOST_ROWS = 60, MOST_COLUMNS = 16;

function valuesOf(axis) {
  var seen = {};
  data.conditions.forEach(function (each) { if (each.at[axis] >= 0) { seen[each.at[axis]] = true; } });
  return Object.keys(seen).length;
}

function axisNumber(name) {
  return name === null ? -1 : data.axes.findIndex(function (axis) { return axis.name === name; });
}

function acrossByDefault(down) {
  var several = data.axes.map(function (_, axis) { return axis; }).filter(function (axis) {
    return axis !== down && valuesOf(axis) > 1;
  });
  if (several.length < 2) { return -1; }
  return several.reduce(function (best, axis) { return valuesOf(axis) < valuesOf(best) ? axis : best; });
}

function valueOf(condition, axis) { return data.axes[axis].name + " = " + data.axes[axis].values[condition.at[axis]]; }

function placeOf(condition, across, down) {
  var rest = data.axes.map(function (_, axis) { return axis; }).filter(function (axis) {
    return axis !== across && axis !== down && condition.at[axis] >= 0;
  });
  var names = rest.map(function (axis) { return valueOf(condition, axis); });
  var part = data.rollouts.length > 1 ? [data.rollouts[condition.rollout]] : [];
  var row = names;
  if (down >= 0) { row = condition.at[down] >= 0 ? [valueOf(condition, down)] : []; part = part.concat(names); }
  return {
    part: part.join(", "),
    column: across >= 0 && condition.at[across] >= 0 ? valueOf(condition, across) : "",
    row: row.join(", ") || (data.rollouts.length > 1 ? "" : data.rollouts[condition.rollout])
  };
}

// Rows in panels, an event and a part each; each panel has its columns, its lines and a cell for every pair of them.
function panels(shown) {
  var down = axisNumber(chosen.y), across = chosen.x === null ? acrossByDefault(down) : axisNumber(chosen.x);
  var found = new Map();
  shown.slice().sort(function (a, b) { return a.event - b.event || a.number - b.number; }).forEach(function (row) {
    var place = placeOf(row.condition, across, down);
    var name = data.events[row.event] + (place.part ? ": " + place.part : "");
    if (!found.has(name)) { found.set(name, { name: name, columns: new Map(), lines: new Map() }); }
    var panel = found.get(name);
    if (!panel.columns.has(place.column)) { panel.columns.set(place.column, panel.columns.size); }
    if (!panel.lines.has(place.row)) { panel.lines.set(place.row, []); }
    panel.lines.get(place.row)[panel.columns.get(place.column)] = row;
  });
  return Array.from(found.values());
}

function fits(found, shown) {
  if (shown.length > MOST_CELLS * Math.max(1, data.events.length)) { return false; }
  if (chosen.x !== data.x || chosen.y !== data.y) { return data.conditions.length <= MOST_CELLS; }
  return found.every(function (panel) { return panel.lines.size <= MOST_ROWS && panel.columns.size <= MOST_COLUMNS; });
}
