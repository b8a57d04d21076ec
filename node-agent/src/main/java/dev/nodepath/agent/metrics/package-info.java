/** What the process has done, in numbers, with kube-proxy's names where kube-proxy has one. */
package dev.nodepath.agent.metrics;
