/** Userspace mode beside its peers: the same load directly, through the relay, and through HAProxy. */
@org.jspecify.annotations.NullMarked
package dev.nodepath.bench.userspace;
