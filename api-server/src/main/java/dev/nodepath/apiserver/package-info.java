/**
 * The operations of a Kubernetes API on objects in memory: {@code ClusterApi}, with the label and field selectors that
 * choose among them. Requests come in, stored objects and events go out. It knows neither HTTP nor what controllers do.
 */
package dev.nodepath.apiserver;
