/**
 * Checks of each kind's objects, in Kubernetes' words: {@code ObjectValidation}. Objects with their defaults and, when
 * changed, their state before come in; complaints go out. Fields that this cluster ignores are not checked.
 */
package dev.nodepath.apiserver.validation;
