/**
 * The rules of each kind's objects, in one place: {@code ClusterRules} for {@code ClusterApi}. It adds defaults, gives
 * Services their ClusterIPs, node ports and IP families, and has every object checked. {@code InitialObjects} are the
 * objects of a new cluster. Objects come in, complete objects or every complaint at once go out. It knows neither HTTP
 * nor the order of requests.
 */
package dev.nodepath.apiserver.rules;
