// Puts the views in their places.

const views = {
  steps: makeSteps, waits: makeWaits, links: makeLinks, speeds: makeSpeeds, lateness: makeLateness,
  groups: makeGroups,
};

for (const view of document.querySelectorAll('[data-view]')) views[view.dataset.view](view);
document.querySelectorAll('table').forEach(makeSortable);
const tables = document.getElementById('tables');
if (tables) makeSearch(tables);
// Draws, and draws anew when there is another room or there are other colours.

drawAll();
window.addEventListener('resize', drawAll);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
window.addEventListener('beforeprint', drawAll);
document.documentElement.dataset.drawn = 'yes';
