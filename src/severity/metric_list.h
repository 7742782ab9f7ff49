/* One line a metric. Parents come before their children. A parent's value includes its children's
 * (Scalasca's convention along the metric tree). */
#define METRIC_LIST(X)                                     \
    X(TIME, "time", UNIT_SECONDS, METRIC_NONE, "Time",     \
      "Total time spent, exclusive per call path")         \
    X(VISITS, "visits", UNIT_COUNT, METRIC_NONE, "Visits", \
      "Number of times a call path was visited")
