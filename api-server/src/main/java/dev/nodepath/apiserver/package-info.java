/**
 * The operations of a Kubernetes API on objects in memory: {@code ClusterApi}, with the label and field selectors that
 * choose among them. The kinds of a cluster are those that are built in, and those that its CustomResourceDefinitions
 * make: {@code Kinds} follows the store. Requests come in, stored objects and events go out. It knows neither HTTP nor
 * what controllers do.
 */
package dev.nodepath.apiserver;
