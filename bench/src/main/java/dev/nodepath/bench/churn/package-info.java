/** Load while endpoints come and go. */
@org.jspecify.annotations.NullMarked
package dev.nodepath.bench.churn;
