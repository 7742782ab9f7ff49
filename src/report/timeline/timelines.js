/* The module that shows time lines: one run, or two of the same program, one below the other, with one
 * zoom for both. timelines.open(element, data, hooks) fills an empty element.
 *   data    what timeline_data_make (timeline.h) has written, {"runs": [...]}
 *   hooks   picked(callpath, rank): called when the user selects a piece
 *           alone: true if the keys of the whole page are for the time lines
 * It returns {select(callpath, rank), ready}: select shows where a rank is in a call path ("main/solve";
 * null: nowhere special), ready is a promise that is kept when all data are unpacked and drawn. */
const timelines = (() => {
"use strict";
/* insert run.js */
/* insert view.js */
/* insert bands.js */
/* insert colors.js */
/* insert raster.js */
/* insert draw.js */
/* insert overlay.js */
/* insert side.js */
/* insert input.js */
return {open};
})();
