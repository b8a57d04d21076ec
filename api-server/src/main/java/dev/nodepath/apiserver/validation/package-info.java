/**
 * Checks of each kind's objects, in Kubernetes' words: {@code ObjectValidation}. It has the places in an object that
 * complaints name, and values of many kinds: addresses, conditions, quantities. Objects with their defaults and, when
 * changed, their state before come in; complaints go out. Fields that this cluster ignores are not checked.
 */
package dev.nodepath.apiserver.validation;
