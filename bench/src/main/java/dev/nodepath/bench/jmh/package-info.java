/**
 * JMH benchmarks of single pieces of the other modules, such as userspace mode's relay. They are run by hand and are no
 * suite.
 */
package dev.nodepath.bench.jmh;
