/**
 * The CNI plugin: what each command does, in order. A call comes in as environment and JSON, and a result goes out.
 * The packages below do the single steps.
 */
package dev.nodepath.cni;
