/**
 * Checks of each kind's objects, in Kubernetes' words: {@code ObjectValidation}. It also has the places of complaints
 * in an object, and values of many kinds: addresses, conditions, quantities. Objects with their defaults come in, with
 * their state before if they are changed; complaints go out. Fields that this cluster ignores are not checked.
 */
package dev.nodepath.apiserver.validation;
