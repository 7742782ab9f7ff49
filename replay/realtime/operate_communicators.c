/* The creation of communicators in a replay. */
#include "replay/realtime/operate.h"

static void create_graph(const struct comm_call *c, MPI_Comm *made)
{
    int index[c->size];
    for (int i = 0; i < c->size; i++)
        index[i] = 0; /* the recording does not contain the edges */
    MPI_Graph_create(c->parent, c->size, index, index, 0, made);
}

void operate_creation(struct executor *executor, const struct comm_call *c)
{
    MPI_Comm *made = &executor->made;
    int periodic = 0;
    switch (c->call) {
    case MPI_CALL_COMM_DUP_WITH_INFO:
        MPI_Comm_dup_with_info(c->parent, MPI_INFO_NULL, made);
        break;
    case MPI_CALL_COMM_SPLIT:
    case MPI_CALL_CART_SUB:
        MPI_Comm_split(c->parent, c->color, c->key, made);
        break;
    case MPI_CALL_COMM_SPLIT_TYPE:
        MPI_Comm_split_type(c->parent, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, made);
        break;
    case MPI_CALL_COMM_CREATE:
        MPI_Comm_create(c->parent, c->group, made);
        break;
    case MPI_CALL_COMM_CREATE_GROUP:
        MPI_Comm_create_group(c->parent, c->group, 0, made);
        break;
    case MPI_CALL_CART_CREATE:
        MPI_Cart_create(c->parent, 1, &c->size, &periodic, 0, made);
        break;
    case MPI_CALL_GRAPH_CREATE:
        create_graph(c, made);
        break;
    case MPI_CALL_DIST_GRAPH_CREATE:
        MPI_Dist_graph_create(c->parent, 0, NULL, NULL, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                              made);
        break;
    case MPI_CALL_DIST_GRAPH_CREATE_ADJACENT:
        MPI_Dist_graph_create_adjacent(c->parent, 0, NULL, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED,
                                       MPI_INFO_NULL, 0, made);
        break;
    case MPI_CALL_INTERCOMM_MERGE:
        MPI_Intercomm_merge(c->parent, c->key, made);
        break;
    default:
        MPI_Comm_dup(c->parent, made);
    }
}
