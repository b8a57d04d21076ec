/**
 * Which chains, sets and elements policies become, as values. Snapshots come in, parts of a table go out. It knows no
 * kernel.
 */
package dev.nodepath.policy.rules;
