/** kube-proxy's configuration file, and the spellings of its values. */
package dev.nodepath.agent.config;
