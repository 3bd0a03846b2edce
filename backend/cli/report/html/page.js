// Puts the views in their places.

const views = {
  steps: makeSteps, waits: makeWaits, links: makeLinks, speeds: makeSpeeds, lateness: makeLateness,
  groups: makeGroups,
};

for (const view of document.querySelectorAll('[data-view]')) views[view.dataset.view](view);
document.querySelectorAll('table').forEach(makeSortable);
const tables = document.getElementById('tables');
if (tables) makeSearch(tables);
