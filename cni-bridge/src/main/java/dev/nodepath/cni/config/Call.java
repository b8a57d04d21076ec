package dev.nodepath.cni.config;

import dev.nodepath.cni.ipam.Attachment;
import dev.nodepath.cni.protocol.CniEnvironment;
import dev.nodepath.cni.protocol.CniVariable;
import dev.nodepath.cni.protocol.JsonObject;
import dev.nodepath.cni.protocol.Sandbox;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * One checked call of ADD, DEL, CHECK, GC or STATUS.
 *
 * @param variables the whole environment, passed on to other plugins
 * @param stdin the raw configuration, passed on to other plugins
 * @param json the parsed configuration
 * @param dataDirDefault the default folder of addresses
 * @param warnings collects warnings for people; the protocol has no place for them
 */
public record Call(
        CniEnvironment environment,
        Map<String, String> variables,
        String stdin,
        JsonObject json,
        NetworkConfig config,
        Sandbox sandbox,
        Path dataDirDefault,
        StringBuilder warnings) {

    /** A copy of the call without {@code CNI_NETNS}, also in the variables for other plugins. */
    public Call withoutNamespace() {
        Map<String, String> without = new TreeMap<>(variables);
        without.put(CniVariable.CNI_NETNS.name(), "");
        Sandbox none = new Sandbox("", Optional.empty());
        return new Call(environment, without, stdin, json, config, none, dataDirDefault, warnings);
    }

    /** The container and interface that the call is for. */
    public Attachment attachment() {
        return environment.attachment();
    }

    /** The names of the attachment's link and rules on the node. */
    public LinkIdentity identity() {
        return new LinkIdentity(config.name(), attachment());
    }
}
