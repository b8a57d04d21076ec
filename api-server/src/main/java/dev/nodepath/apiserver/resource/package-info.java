/**
 * The kinds that the API server has, their names and paths, and the fields that all objects share. It stores nothing.
 */
package dev.nodepath.apiserver.resource;
