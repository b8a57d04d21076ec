/**
 * Objects as rows of the tables that {@code kubectl get} prints. Columns and cells are those of Kubernetes' own
 * printers. It knows nothing of requests.
 */
package dev.nodepath.apiserver.table;
