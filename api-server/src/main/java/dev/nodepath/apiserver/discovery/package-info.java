/**
 * Which groups, versions and kinds the server has, and their schema as OpenAPI, as the documents that clients ask for;
 * kubectl reads them to validate, to explain and to learn what the server can. The kinds and their schema come in. It
 * knows no objects and no request.
 */
package dev.nodepath.apiserver.discovery;
