/* The page without its data, made at build time from timeline.html and the files that it names. */
#ifndef REPORT_TIMELINE_PAGE_H
#define REPORT_TIMELINE_PAGE_H

extern const char timeline_page_head[], timeline_page_tail[]; /* the data go between them */

#endif
