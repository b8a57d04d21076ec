/**
 * The schema as OpenAPI documents, which kubectl reads to validate, to explain and to learn what the server can:
 * {@code OpenApiDocuments}. The kinds and their schema come in, documents go out. It knows no request.
 */
package dev.nodepath.apiserver.openapi;
