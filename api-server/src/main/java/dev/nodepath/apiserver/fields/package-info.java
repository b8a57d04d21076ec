/**
 * Places in an object, complaints about them in Kubernetes' words, and the values that appear in many kinds: addresses,
 * conditions and quantities. It knows no kind.
 */
package dev.nodepath.apiserver.fields;
