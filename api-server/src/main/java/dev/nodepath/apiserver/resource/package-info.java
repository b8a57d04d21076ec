/**
 * The kinds that the API server has, their names and paths, the fields that all objects share, and whether labels meet
 * a selector. It stores nothing.
 */
package dev.nodepath.apiserver.resource;
