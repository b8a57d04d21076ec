/**
 * The kinds of the API server, their names and paths, the common fields of objects, and the matching of labels by
 * selectors. It stores nothing.
 */
package dev.nodepath.apiserver.resource;
