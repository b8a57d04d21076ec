/** The commands of benchmarks: run suites, show a report, compare two. What is measured is in the packages below. */
package dev.nodepath.bench;
