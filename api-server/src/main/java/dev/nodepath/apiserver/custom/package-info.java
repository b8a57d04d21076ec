/**
 * The kinds of a cluster: those that are built in, and those that its CustomResourceDefinitions make. {@code Kinds}
 * follows the store. {@code ClusterPolicyDefinition} is a definition that we bring ourselves. It knows no requests, and
 * nothing of what objects mean.
 */
package dev.nodepath.apiserver.custom;
