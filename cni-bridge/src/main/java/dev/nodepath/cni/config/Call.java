package dev.nodepath.cni.config;

import dev.nodepath.cni.ipam.Attachment;
import dev.nodepath.cni.json.JsonObject;
import dev.nodepath.cni.protocol.CniEnvironment;
import dev.nodepath.cni.protocol.CniVariable;
import dev.nodepath.cni.protocol.Sandbox;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * One checked call of ADD, DEL, CHECK, GC or STATUS.
 *
 * @param variables the whole environment, for plugins that are called on
 * @param stdin the configuration as it came, for plugins that are called on
 * @param json the same, read
 * @param dataDirDefault where addresses are kept unless the configuration says otherwise
 * @param warnings takes what people should see that the protocol has no place for
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

    /** The same call with no namespace given, also for plugins that are called on. */
    public Call withoutNamespace() {
        Map<String, String> without = new TreeMap<>(variables);
        without.put(CniVariable.CNI_NETNS.name(), "");
        Sandbox none = new Sandbox("", Optional.empty());
        return new Call(environment, without, stdin, json, config, none, dataDirDefault, warnings);
    }

    public Attachment attachment() {
        return environment.attachment();
    }

    /** Under which name the attachment's links and rules are known on the node. */
    public LinkIdentity identity() {
        return new LinkIdentity(config.name(), attachment());
    }
}
