/**
 * The operations of a Kubernetes API on objects in memory: {@code ClusterApi}, with its label and field selectors. The
 * kinds of a cluster are the built-in ones and those of its CustomResourceDefinitions: {@code Kinds} follows the
 * store. Requests come in, stored objects and events go out. It knows neither HTTP nor controllers.
 */
package dev.nodepath.apiserver;
