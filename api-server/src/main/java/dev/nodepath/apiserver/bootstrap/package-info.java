/**
 * The objects of a cluster before its user makes any: {@code InitialObjects}. It knows no rule of a kind.
 */
package dev.nodepath.apiserver.bootstrap;
