/**
 * The common parts of all controllers. The frame: changes become keys in one queue, one thread reconciles key after
 * key, and failed keys come back later. The parts of objects: metadata, owners, conditions, Events. It knows no kind
 * in particular.
 */
package dev.nodepath.controllers.object;
