/** Benchmarks. */
package dev.nodepath.bench;
