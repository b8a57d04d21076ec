/**
 * Keeps sets of Pods: ReplicaSets, Deployments, StatefulSets and DaemonSets. The sets and their Pods come in; Pods to
 * create and to delete, revisions and statuses go out. It does not know where Pods run, nor how.
 */
package dev.nodepath.controllers.workload;
