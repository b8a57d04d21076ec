/** The commands of benchmarks: run suites, show a report, compare two. The packages below measure. */
package dev.nodepath.bench;
