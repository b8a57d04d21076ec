/**
 * Server-side apply: which fields an object has, who owns them ({@code managedFields}), what an apply merges, removes
 * and conflicts with. It knows no requests.
 */
package dev.nodepath.apiserver.apply;
