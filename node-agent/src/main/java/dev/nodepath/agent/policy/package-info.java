/** Keeps NetworkPolicies in force as a part of the agent. It knows neither how they are read nor their rules. */
package dev.nodepath.agent.policy;
