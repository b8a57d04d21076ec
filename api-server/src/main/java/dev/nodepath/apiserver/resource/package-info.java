/**
 * The kinds of the API server, their names and paths, the fields that all objects share, and whether labels match a
 * selector. It stores nothing.
 */
package dev.nodepath.apiserver.resource;
