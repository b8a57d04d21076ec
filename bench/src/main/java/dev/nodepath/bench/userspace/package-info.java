/** What userspace mode's relay costs alone. */
@org.jspecify.annotations.NullMarked
package dev.nodepath.bench.userspace;
