/**
 * Keeps sets of Pods: ReplicaSets, Deployments, StatefulSets and DaemonSets. In go the sets and their Pods, out come
 * Pods to create and to delete, revisions and statuses. It does not know where Pods run, nor how.
 */
package dev.nodepath.controllers.workload;
