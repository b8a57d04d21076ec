/**
 * Which fields each kind has, how patches merge them, and the documents that clients ask for: groups, kinds and their
 * schema as OpenAPI. A request's object comes in, an object and warnings go out. It does not know what the values mean.
 */
package dev.nodepath.apiserver.schema;
