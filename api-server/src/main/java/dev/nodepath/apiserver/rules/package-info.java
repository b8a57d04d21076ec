/**
 * What each kind asks of its objects, in one place: {@code ClusterRules} for {@code ClusterApi}. Objects come in,
 * complete objects or every complaint at once go out. It knows neither HTTP nor the order of requests.
 */
package dev.nodepath.apiserver.rules;
