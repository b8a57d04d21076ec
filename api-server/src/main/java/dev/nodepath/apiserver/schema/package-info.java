/**
 * The fields of each kind, their merging by patches, and documents for clients: groups, kinds and their schema as
 * OpenAPI. A request's object comes in, an object and warnings go out. It does not know the meaning of values.
 */
package dev.nodepath.apiserver.schema;
