/**
 * Objects by kind and name, with versions, a history of changes and subscriptions. It knows no field except {@code
 * metadata.resourceVersion}.
 */
package dev.nodepath.apiserver.store;
