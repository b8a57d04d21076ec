/** The common parts of suites: settings, turns of contenders, and the recorder of figures. It knows no contender. */
package dev.nodepath.bench.suite;
