/**
 * Which fields each kind has, and how patches merge them: {@code Schema}, {@code MergeKeys}. A request's object comes
 * in, an object and warnings go out. It does not know what the values mean.
 */
package dev.nodepath.apiserver.schema;
