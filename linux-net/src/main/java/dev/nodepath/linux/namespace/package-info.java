/**
 * Network namespaces: handles to open ones, and those with names as {@code ip netns} keeps them. Each handle has
 * sockets that were opened inside, so callers stay where they are.
 */
package dev.nodepath.linux.namespace;
