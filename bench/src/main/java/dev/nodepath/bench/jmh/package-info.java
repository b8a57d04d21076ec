/** JMH benchmarks of single pieces of the other modules. They are run by hand and are no suite. */
package dev.nodepath.bench.jmh;
