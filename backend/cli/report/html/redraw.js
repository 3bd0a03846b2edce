// Draws, and draws anew when there is another room or there are other colours.

drawAll();
window.addEventListener('resize', drawAll);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
window.addEventListener('beforeprint', drawAll);
document.documentElement.dataset.drawn = 'yes';
