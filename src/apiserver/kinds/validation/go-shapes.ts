/**
 * Internal types of Kubernetes 1.34 that show up in messages: for each, its fields in order as
 * `GoName jsonName type`, or `=type` for an embedded one. Types: s text, b boolean, i number, q quantity, j as it is,
 * meta object metadata, `*` optional, `[` list, `{` map.
 */
export const GO_SHAPES: Readonly<Record<string, string>> = {
  'apps.DeploymentStrategy': 'Type type s,RollingUpdate rollingUpdate *apps.RollingUpdateDeployment',
  'apps.RollingUpdateDeployment': 'MaxUnavailable maxUnavailable i,MaxSurge maxSurge i',
  'apps.RollingUpdateStatefulSetStrategy': 'Partition partition i,MaxUnavailable maxUnavailable *i',
  'apps.StatefulSetUpdateStrategy': 'Type type s,RollingUpdate rollingUpdate *apps.RollingUpdateStatefulSetStrategy',
  'batch.PodFailurePolicy': 'Rules rules [batch.PodFailurePolicyRule',
  'batch.PodFailurePolicyOnExitCodesRequirement': 'ContainerName containerName *s,Operator operator s,Values values [i',
  'batch.PodFailurePolicyOnPodConditionsPattern': 'Type type s,Status status s',
  'batch.PodFailurePolicyRule':
    'Action action s,OnExitCodes onExitCodes *batch.PodFailurePolicyOnExitCodesRequirement,OnPodConditions ' +
    'onPodConditions [batch.PodFailurePolicyOnPodConditionsPattern',
  'batch.SuccessPolicy': 'Rules rules [batch.SuccessPolicyRule',
  'batch.SuccessPolicyRule': 'SucceededIndexes succeededIndexes *s,SucceededCount succeededCount *i',
  'core.AWSElasticBlockStoreVolumeSource':
    'VolumeID volumeID s,FSType fsType s,Partition partition i,ReadOnly readOnly b',
  'core.Affinity':
    'NodeAffinity nodeAffinity *core.NodeAffinity,PodAffinity podAffinity *core.PodAffinity,PodAntiAffinity ' +
    'podAntiAffinity *core.PodAntiAffinity',
  'core.AppArmorProfile': 'Type type s,LocalhostProfile localhostProfile *s',
  'core.AzureDiskVolumeSource':
    'DiskName diskName s,DataDiskURI diskURI s,CachingMode cachingMode *s,FSType fsType *s,ReadOnly ' +
    'readOnly *b,Kind kind *s',
  'core.AzureFilePersistentVolumeSource':
    'SecretName secretName s,ShareName shareName s,ReadOnly readOnly b,SecretNamespace secretNamespace *s',
  'core.AzureFileVolumeSource': 'SecretName secretName s,ShareName shareName s,ReadOnly readOnly b',
  'core.CSIPersistentVolumeSource':
    'Driver driver s,VolumeHandle volumeHandle s,ReadOnly readOnly b,FSType fsType s,VolumeAttributes ' +
    'volumeAttributes {s,ControllerPublishSecretRef controllerPublishSecretRef ' +
    '*core.SecretReference,NodeStageSecretRef nodeStageSecretRef *core.SecretReference,NodePublishSecretRef ' +
    'nodePublishSecretRef *core.SecretReference,ControllerExpandSecretRef controllerExpandSecretRef ' +
    '*core.SecretReference,NodeExpandSecretRef nodeExpandSecretRef *core.SecretReference',
  'core.CSIVolumeSource':
    'Driver driver s,ReadOnly readOnly *b,FSType fsType *s,VolumeAttributes volumeAttributes ' +
    '{s,NodePublishSecretRef nodePublishSecretRef *core.LocalObjectReference',
  'core.Capabilities': 'Add add [s,Drop drop [s',
  'core.CephFSPersistentVolumeSource':
    'Monitors monitors [s,Path path s,User user s,SecretFile secretFile s,SecretRef secretRef ' +
    '*core.SecretReference,ReadOnly readOnly b',
  'core.CephFSVolumeSource':
    'Monitors monitors [s,Path path s,User user s,SecretFile secretFile s,SecretRef secretRef ' +
    '*core.LocalObjectReference,ReadOnly readOnly b',
  'core.CinderPersistentVolumeSource':
    'VolumeID volumeID s,FSType fsType s,ReadOnly readOnly b,SecretRef secretRef *core.SecretReference',
  'core.CinderVolumeSource':
    'VolumeID volumeID s,FSType fsType s,ReadOnly readOnly b,SecretRef secretRef *core.LocalObjectReference',
  'core.ClusterTrustBundleProjection':
    'Name name *s,SignerName signerName *s,LabelSelector labelSelector *j,Optional optional *b,Path path s',
  'core.ConfigMapEnvSource': '=core.LocalObjectReference,Optional optional *b',
  'core.ConfigMapKeySelector': '=core.LocalObjectReference,Key key s,Optional optional *b',
  'core.ConfigMapProjection': '=core.LocalObjectReference,Items items [core.KeyToPath,Optional optional *b',
  'core.ConfigMapVolumeSource':
    '=core.LocalObjectReference,Items items [core.KeyToPath,DefaultMode defaultMode *i,Optional optional *b',
  'core.Container':
    'Name name s,Image image s,Command command [s,Args args [s,WorkingDir workingDir s,Ports ports ' +
    '[core.ContainerPort,EnvFrom envFrom [core.EnvFromSource,Env env [core.EnvVar,Resources resources ' +
    'core.ResourceRequirements,ResizePolicy resizePolicy [core.ContainerResizePolicy,RestartPolicy ' +
    'restartPolicy *s,RestartPolicyRules restartPolicyRules [core.ContainerRestartRule,VolumeMounts ' +
    'volumeMounts [core.VolumeMount,VolumeDevices volumeDevices [core.VolumeDevice,LivenessProbe ' +
    'livenessProbe *core.Probe,ReadinessProbe readinessProbe *core.Probe,StartupProbe startupProbe ' +
    '*core.Probe,Lifecycle lifecycle *core.Lifecycle,TerminationMessagePath terminationMessagePath ' +
    's,TerminationMessagePolicy terminationMessagePolicy s,ImagePullPolicy imagePullPolicy ' +
    's,SecurityContext securityContext *core.SecurityContext,Stdin stdin b,StdinOnce stdinOnce b,TTY tty b',
  'core.ContainerPort':
    'Name name s,HostPort hostPort i,ContainerPort containerPort i,Protocol protocol s,HostIP hostIP s',
  'core.ContainerResizePolicy': 'ResourceName resourceName s,RestartPolicy restartPolicy s',
  'core.ContainerRestartRule': 'Action action s,ExitCodes exitCodes *core.ContainerRestartRuleOnExitCodes',
  'core.ContainerRestartRuleOnExitCodes': 'Operator operator s,Values values [i',
  'core.DownwardAPIProjection': 'Items items [core.DownwardAPIVolumeFile',
  'core.DownwardAPIVolumeFile':
    'Path path s,FieldRef fieldRef *core.ObjectFieldSelector,ResourceFieldRef resourceFieldRef ' +
    '*core.ResourceFieldSelector,Mode mode *i',
  'core.DownwardAPIVolumeSource': 'Items items [core.DownwardAPIVolumeFile,DefaultMode defaultMode *i',
  'core.EmptyDirVolumeSource': 'Medium medium s,SizeLimit sizeLimit *q',
  'core.EnvFromSource':
    'Prefix prefix s,ConfigMapRef configMapRef *core.ConfigMapEnvSource,SecretRef secretRef *core.SecretEnvSource',
  'core.EnvVar': 'Name name s,Value value s,ValueFrom valueFrom *core.EnvVarSource',
  'core.EnvVarSource':
    'FieldRef fieldRef *core.ObjectFieldSelector,ResourceFieldRef resourceFieldRef ' +
    '*core.ResourceFieldSelector,ConfigMapKeyRef configMapKeyRef *core.ConfigMapKeySelector,SecretKeyRef ' +
    'secretKeyRef *core.SecretKeySelector,FileKeyRef fileKeyRef *core.FileKeySelector',
  'core.EphemeralContainer': '=core.EphemeralContainerCommon,TargetContainerName targetContainerName s',
  'core.EphemeralContainerCommon':
    'Name name s,Image image s,Command command [s,Args args [s,WorkingDir workingDir s,Ports ports ' +
    '[core.ContainerPort,EnvFrom envFrom [core.EnvFromSource,Env env [core.EnvVar,Resources resources ' +
    'core.ResourceRequirements,ResizePolicy resizePolicy [core.ContainerResizePolicy,RestartPolicy ' +
    'restartPolicy *s,RestartPolicyRules restartPolicyRules [core.ContainerRestartRule,VolumeMounts ' +
    'volumeMounts [core.VolumeMount,VolumeDevices volumeDevices [core.VolumeDevice,LivenessProbe ' +
    'livenessProbe *core.Probe,ReadinessProbe readinessProbe *core.Probe,StartupProbe startupProbe ' +
    '*core.Probe,Lifecycle lifecycle *core.Lifecycle,TerminationMessagePath terminationMessagePath ' +
    's,TerminationMessagePolicy terminationMessagePolicy s,ImagePullPolicy imagePullPolicy ' +
    's,SecurityContext securityContext *core.SecurityContext,Stdin stdin b,StdinOnce stdinOnce b,TTY tty b',
  'core.EphemeralVolumeSource': 'VolumeClaimTemplate volumeClaimTemplate *core.PersistentVolumeClaimTemplate',
  'core.ExecAction': 'Command command [s',
  'core.FCVolumeSource': 'TargetWWNs targetWWNs [s,Lun lun *i,FSType fsType s,ReadOnly readOnly b,WWIDs wwids [s',
  'core.FileKeySelector': 'VolumeName volumeName s,Path path s,Key key s,Optional optional *b',
  'core.FlexPersistentVolumeSource':
    'Driver driver s,FSType fsType s,SecretRef secretRef *core.SecretReference,ReadOnly readOnly b,Options options {s',
  'core.FlexVolumeSource':
    'Driver driver s,FSType fsType s,SecretRef secretRef *core.LocalObjectReference,ReadOnly readOnly ' +
    'b,Options options {s',
  'core.FlockerVolumeSource': 'DatasetName datasetName s,DatasetUUID datasetUUID s',
  'core.GCEPersistentDiskVolumeSource': 'PDName pdName s,FSType fsType s,Partition partition i,ReadOnly readOnly b',
  'core.GRPCAction': 'Port port i,Service service *s',
  'core.GitRepoVolumeSource': 'Repository repository s,Revision revision s,Directory directory s',
  'core.GlusterfsPersistentVolumeSource':
    'EndpointsName endpoints s,Path path s,ReadOnly readOnly b,EndpointsNamespace endpointsNamespace *s',
  'core.GlusterfsVolumeSource': 'EndpointsName endpoints s,Path path s,ReadOnly readOnly b',
  'core.HTTPGetAction': 'Path path s,Port port i,Host host s,Scheme scheme s,HTTPHeaders httpHeaders [core.HTTPHeader',
  'core.HTTPHeader': 'Name name s,Value value s',
  'core.HostAlias': 'IP ip s,Hostnames hostnames [s',
  'core.HostPathVolumeSource': 'Path path s,Type type *s',
  'core.ISCSIPersistentVolumeSource':
    'TargetPortal targetPortal s,IQN iqn s,Lun lun i,ISCSIInterface iscsiInterface s,FSType fsType ' +
    's,ReadOnly readOnly b,Portals portals [s,DiscoveryCHAPAuth chapAuthDiscovery b,SessionCHAPAuth ' +
    'chapAuthSession b,SecretRef secretRef *core.SecretReference,InitiatorName initiatorName *s',
  'core.ISCSIVolumeSource':
    'TargetPortal targetPortal s,IQN iqn s,Lun lun i,ISCSIInterface iscsiInterface s,FSType fsType ' +
    's,ReadOnly readOnly b,Portals portals [s,DiscoveryCHAPAuth chapAuthDiscovery b,SessionCHAPAuth ' +
    'chapAuthSession b,SecretRef secretRef *core.LocalObjectReference,InitiatorName initiatorName *s',
  'core.ImageVolumeSource': 'Reference reference s,PullPolicy pullPolicy s',
  'core.KeyToPath': 'Key key s,Path path s,Mode mode *i',
  'core.Lifecycle':
    'PostStart postStart *core.LifecycleHandler,PreStop preStop *core.LifecycleHandler,StopSignal stopSignal *s',
  'core.LifecycleHandler':
    'Exec exec *core.ExecAction,HTTPGet httpGet *core.HTTPGetAction,TCPSocket tcpSocket ' +
    '*core.TCPSocketAction,Sleep sleep *core.SleepAction',
  'core.LocalObjectReference': 'Name name s',
  'core.LocalVolumeSource': 'Path path s,FSType fsType *s',
  'core.NFSVolumeSource': 'Server server s,Path path s,ReadOnly readOnly b',
  'core.NodeAffinity':
    'RequiredDuringSchedulingIgnoredDuringExecution requiredDuringSchedulingIgnoredDuringExecution ' +
    '*core.NodeSelector,PreferredDuringSchedulingIgnoredDuringExecution ' +
    'preferredDuringSchedulingIgnoredDuringExecution [core.PreferredSchedulingTerm',
  'core.NodeSelector': 'NodeSelectorTerms nodeSelectorTerms [core.NodeSelectorTerm',
  'core.NodeSelectorRequirement': 'Key key s,Operator operator s,Values values [s',
  'core.NodeSelectorTerm':
    'MatchExpressions matchExpressions [core.NodeSelectorRequirement,MatchFields matchFields ' +
    '[core.NodeSelectorRequirement',
  'core.ObjectFieldSelector': 'APIVersion apiVersion s,FieldPath fieldPath s',
  'core.ObjectReference':
    'Kind kind s,Namespace namespace s,Name name s,UID uid s,APIVersion apiVersion s,ResourceVersion ' +
    'resourceVersion s,FieldPath fieldPath s',
  'core.PersistentVolumeClaimSpec':
    'AccessModes accessModes [s,Selector selector *j,Resources resources ' +
    'core.VolumeResourceRequirements,VolumeName volumeName s,StorageClassName storageClassName ' +
    '*s,VolumeMode volumeMode *s,DataSource dataSource *core.TypedLocalObjectReference,DataSourceRef ' +
    'dataSourceRef *core.TypedObjectReference,VolumeAttributesClassName volumeAttributesClassName *s',
  'core.PersistentVolumeClaimTemplate': '=meta,Spec spec core.PersistentVolumeClaimSpec',
  'core.PersistentVolumeClaimVolumeSource': 'ClaimName claimName s,ReadOnly readOnly b',
  'core.PersistentVolumeSource':
    'GCEPersistentDisk gcePersistentDisk *core.GCEPersistentDiskVolumeSource,AWSElasticBlockStore ' +
    'awsElasticBlockStore *core.AWSElasticBlockStoreVolumeSource,HostPath hostPath ' +
    '*core.HostPathVolumeSource,Glusterfs glusterfs *core.GlusterfsPersistentVolumeSource,NFS nfs ' +
    '*core.NFSVolumeSource,RBD rbd *core.RBDPersistentVolumeSource,Quobyte quobyte ' +
    '*core.QuobyteVolumeSource,ISCSI iscsi *core.ISCSIPersistentVolumeSource,FlexVolume flexVolume ' +
    '*core.FlexPersistentVolumeSource,Cinder cinder *core.CinderPersistentVolumeSource,CephFS cephfs ' +
    '*core.CephFSPersistentVolumeSource,FC fc *core.FCVolumeSource,Flocker flocker ' +
    '*core.FlockerVolumeSource,AzureFile azureFile *core.AzureFilePersistentVolumeSource,VsphereVolume ' +
    'vsphereVolume *core.VsphereVirtualDiskVolumeSource,AzureDisk azureDisk ' +
    '*core.AzureDiskVolumeSource,PhotonPersistentDisk photonPersistentDisk ' +
    '*core.PhotonPersistentDiskVolumeSource,PortworxVolume portworxVolume ' +
    '*core.PortworxVolumeSource,ScaleIO scaleIO *core.ScaleIOPersistentVolumeSource,Local local ' +
    '*core.LocalVolumeSource,StorageOS storageos *core.StorageOSPersistentVolumeSource,CSI csi ' +
    '*core.CSIPersistentVolumeSource',
  'core.PhotonPersistentDiskVolumeSource': 'PdID pdID s,FSType fsType s',
  'core.PodAffinity':
    'RequiredDuringSchedulingIgnoredDuringExecution requiredDuringSchedulingIgnoredDuringExecution ' +
    '[core.PodAffinityTerm,PreferredDuringSchedulingIgnoredDuringExecution ' +
    'preferredDuringSchedulingIgnoredDuringExecution [core.WeightedPodAffinityTerm',
  'core.PodAffinityTerm':
    'LabelSelector labelSelector *j,Namespaces namespaces [s,TopologyKey topologyKey s,NamespaceSelector ' +
    'namespaceSelector *j,MatchLabelKeys matchLabelKeys [s,MismatchLabelKeys mismatchLabelKeys [s',
  'core.PodAntiAffinity':
    'RequiredDuringSchedulingIgnoredDuringExecution requiredDuringSchedulingIgnoredDuringExecution ' +
    '[core.PodAffinityTerm,PreferredDuringSchedulingIgnoredDuringExecution ' +
    'preferredDuringSchedulingIgnoredDuringExecution [core.WeightedPodAffinityTerm',
  'core.PodCertificateProjection':
    'SignerName signerName s,KeyType keyType s,MaxExpirationSeconds maxExpirationSeconds ' +
    '*i,CredentialBundlePath credentialBundlePath s,KeyPath keyPath s,CertificateChainPath ' +
    'certificateChainPath s',
  'core.PodDNSConfig': 'Nameservers nameservers [s,Searches searches [s,Options options [core.PodDNSConfigOption',
  'core.PodDNSConfigOption': 'Name name s,Value value *s',
  'core.PodOS': 'Name name s',
  'core.PodReadinessGate': 'ConditionType conditionType s',
  'core.PodResourceClaim':
    'Name name s,ResourceClaimName resourceClaimName *s,ResourceClaimTemplateName resourceClaimTemplateName *s',
  'core.PodSchedulingGate': 'Name name s',
  'core.PodSecurityContext':
    'HostNetwork hostNetwork b,HostPID hostPID b,HostIPC hostIPC b,ShareProcessNamespace ' +
    'shareProcessNamespace *b,HostUsers hostUsers *b,SELinuxOptions seLinuxOptions ' +
    '*core.SELinuxOptions,WindowsOptions windowsOptions *core.WindowsSecurityContextOptions,RunAsUser ' +
    'runAsUser *i,RunAsGroup runAsGroup *i,RunAsNonRoot runAsNonRoot *b,SupplementalGroups ' +
    'supplementalGroups [i,SupplementalGroupsPolicy supplementalGroupsPolicy *s,FSGroup fsGroup ' +
    '*i,FSGroupChangePolicy fsGroupChangePolicy *s,Sysctls sysctls [core.Sysctl,SeccompProfile ' +
    'seccompProfile *core.SeccompProfile,AppArmorProfile appArmorProfile ' +
    '*core.AppArmorProfile,SELinuxChangePolicy seLinuxChangePolicy *s',
  'core.PodSpec':
    'Volumes volumes [core.Volume,InitContainers initContainers [core.Container,Containers containers ' +
    '[core.Container,EphemeralContainers ephemeralContainers [core.EphemeralContainer,RestartPolicy ' +
    'restartPolicy s,TerminationGracePeriodSeconds terminationGracePeriodSeconds *i,ActiveDeadlineSeconds ' +
    'activeDeadlineSeconds *i,DNSPolicy dnsPolicy s,NodeSelector nodeSelector {s,ServiceAccountName ' +
    'serviceAccountName s,AutomountServiceAccountToken automountServiceAccountToken *b,NodeName nodeName ' +
    's,SecurityContext securityContext *core.PodSecurityContext,ImagePullSecrets imagePullSecrets ' +
    '[core.LocalObjectReference,Hostname hostname s,Subdomain subdomain s,SetHostnameAsFQDN ' +
    'setHostnameAsFQDN *b,Affinity affinity *core.Affinity,SchedulerName schedulerName s,Tolerations ' +
    'tolerations [core.Toleration,HostAliases hostAliases [core.HostAlias,PriorityClassName ' +
    'priorityClassName s,Priority priority *i,PreemptionPolicy preemptionPolicy *s,DNSConfig dnsConfig ' +
    '*core.PodDNSConfig,ReadinessGates readinessGates [core.PodReadinessGate,RuntimeClassName ' +
    'runtimeClassName *s,Overhead overhead {q,EnableServiceLinks enableServiceLinks ' +
    '*b,TopologySpreadConstraints topologySpreadConstraints [core.TopologySpreadConstraint,OS os ' +
    '*core.PodOS,SchedulingGates schedulingGates [core.PodSchedulingGate,ResourceClaims resourceClaims ' +
    '[core.PodResourceClaim,Resources resources *core.ResourceRequirements,HostnameOverride ' +
    'hostnameOverride *s',
  'core.PodTemplateSpec': '=meta,Spec spec core.PodSpec',
  'core.PortworxVolumeSource': 'VolumeID volumeID s,FSType fsType s,ReadOnly readOnly b',
  'core.PreferredSchedulingTerm': 'Weight weight i,Preference preference core.NodeSelectorTerm',
  'core.Probe':
    '=core.ProbeHandler,InitialDelaySeconds initialDelaySeconds i,TimeoutSeconds timeoutSeconds ' +
    'i,PeriodSeconds periodSeconds i,SuccessThreshold successThreshold i,FailureThreshold failureThreshold ' +
    'i,TerminationGracePeriodSeconds terminationGracePeriodSeconds *i',
  'core.ProbeHandler':
    'Exec exec *core.ExecAction,HTTPGet httpGet *core.HTTPGetAction,TCPSocket tcpSocket ' +
    '*core.TCPSocketAction,GRPC grpc *core.GRPCAction',
  'core.ProjectedVolumeSource': 'Sources sources [core.VolumeProjection,DefaultMode defaultMode *i',
  'core.QuobyteVolumeSource':
    'Registry registry s,Volume volume s,ReadOnly readOnly b,User user s,Group group s,Tenant tenant s',
  'core.RBDPersistentVolumeSource':
    'CephMonitors monitors [s,RBDImage image s,FSType fsType s,RBDPool pool s,RadosUser user s,Keyring ' +
    'keyring s,SecretRef secretRef *core.SecretReference,ReadOnly readOnly b',
  'core.RBDVolumeSource':
    'CephMonitors monitors [s,RBDImage image s,FSType fsType s,RBDPool pool s,RadosUser user s,Keyring ' +
    'keyring s,SecretRef secretRef *core.LocalObjectReference,ReadOnly readOnly b',
  'core.ResourceClaim': 'Name name s,Request request s',
  'core.ResourceFieldSelector': 'ContainerName containerName s,Resource resource s,Divisor divisor q',
  'core.ResourceRequirements': 'Limits limits {q,Requests requests {q,Claims claims [core.ResourceClaim',
  'core.SELinuxOptions': 'User user s,Role role s,Type type s,Level level s',
  'core.ScaleIOPersistentVolumeSource':
    'Gateway gateway s,System system s,SecretRef secretRef *core.SecretReference,SSLEnabled sslEnabled ' +
    'b,ProtectionDomain protectionDomain s,StoragePool storagePool s,StorageMode storageMode s,VolumeName ' +
    'volumeName s,FSType fsType s,ReadOnly readOnly b',
  'core.ScaleIOVolumeSource':
    'Gateway gateway s,System system s,SecretRef secretRef *core.LocalObjectReference,SSLEnabled sslEnabled ' +
    'b,ProtectionDomain protectionDomain s,StoragePool storagePool s,StorageMode storageMode s,VolumeName ' +
    'volumeName s,FSType fsType s,ReadOnly readOnly b',
  'core.SeccompProfile': 'Type type s,LocalhostProfile localhostProfile *s',
  'core.SecretEnvSource': '=core.LocalObjectReference,Optional optional *b',
  'core.SecretKeySelector': '=core.LocalObjectReference,Key key s,Optional optional *b',
  'core.SecretProjection': '=core.LocalObjectReference,Items items [core.KeyToPath,Optional optional *b',
  'core.SecretReference': 'Name name s,Namespace namespace s',
  'core.SecretVolumeSource':
    'SecretName secretName s,Items items [core.KeyToPath,DefaultMode defaultMode *i,Optional optional *b',
  'core.SecurityContext':
    'Capabilities capabilities *core.Capabilities,Privileged privileged *b,SELinuxOptions seLinuxOptions ' +
    '*core.SELinuxOptions,WindowsOptions windowsOptions *core.WindowsSecurityContextOptions,RunAsUser ' +
    'runAsUser *i,RunAsGroup runAsGroup *i,RunAsNonRoot runAsNonRoot *b,ReadOnlyRootFilesystem ' +
    'readOnlyRootFilesystem *b,AllowPrivilegeEscalation allowPrivilegeEscalation *b,ProcMount procMount ' +
    '*s,SeccompProfile seccompProfile *core.SeccompProfile,AppArmorProfile appArmorProfile ' +
    '*core.AppArmorProfile',
  'core.ServiceAccountTokenProjection': 'Audience audience s,ExpirationSeconds expirationSeconds i,Path path s',
  'core.SleepAction': 'Seconds seconds i',
  'core.StorageOSPersistentVolumeSource':
    'VolumeName volumeName s,VolumeNamespace volumeNamespace s,FSType fsType s,ReadOnly readOnly ' +
    'b,SecretRef secretRef *core.ObjectReference',
  'core.StorageOSVolumeSource':
    'VolumeName volumeName s,VolumeNamespace volumeNamespace s,FSType fsType s,ReadOnly readOnly ' +
    'b,SecretRef secretRef *core.LocalObjectReference',
  'core.Sysctl': 'Name name s,Value value s',
  'core.TCPSocketAction': 'Port port i,Host host s',
  'core.Toleration':
    'Key key s,Operator operator s,Value value s,Effect effect s,TolerationSeconds tolerationSeconds *i',
  'core.TopologySpreadConstraint':
    'MaxSkew maxSkew i,TopologyKey topologyKey s,WhenUnsatisfiable whenUnsatisfiable s,LabelSelector ' +
    'labelSelector *j,MinDomains minDomains *i,NodeAffinityPolicy nodeAffinityPolicy *s,NodeTaintsPolicy ' +
    'nodeTaintsPolicy *s,MatchLabelKeys matchLabelKeys [s',
  'core.TypedLocalObjectReference': 'APIGroup apiGroup *s,Kind kind s,Name name s',
  'core.TypedObjectReference': 'APIGroup apiGroup *s,Kind kind s,Name name s,Namespace namespace *s',
  'core.Volume': 'Name name s,=core.VolumeSource',
  'core.VolumeDevice': 'Name name s,DevicePath devicePath s',
  'core.VolumeMount':
    'Name name s,ReadOnly readOnly b,RecursiveReadOnly recursiveReadOnly *s,MountPath mountPath s,SubPath ' +
    'subPath s,MountPropagation mountPropagation *s,SubPathExpr subPathExpr s',
  'core.VolumeProjection':
    'Secret secret *core.SecretProjection,DownwardAPI downwardAPI *core.DownwardAPIProjection,ConfigMap ' +
    'configMap *core.ConfigMapProjection,ServiceAccountToken serviceAccountToken ' +
    '*core.ServiceAccountTokenProjection,ClusterTrustBundle clusterTrustBundle ' +
    '*core.ClusterTrustBundleProjection,PodCertificate podCertificate *core.PodCertificateProjection',
  'core.VolumeResourceRequirements': 'Limits limits {q,Requests requests {q',
  'core.VolumeSource':
    'HostPath hostPath *core.HostPathVolumeSource,EmptyDir emptyDir ' +
    '*core.EmptyDirVolumeSource,GCEPersistentDisk gcePersistentDisk ' +
    '*core.GCEPersistentDiskVolumeSource,AWSElasticBlockStore awsElasticBlockStore ' +
    '*core.AWSElasticBlockStoreVolumeSource,GitRepo gitRepo *core.GitRepoVolumeSource,Secret secret ' +
    '*core.SecretVolumeSource,NFS nfs *core.NFSVolumeSource,ISCSI iscsi *core.ISCSIVolumeSource,Glusterfs ' +
    'glusterfs *core.GlusterfsVolumeSource,PersistentVolumeClaim persistentVolumeClaim ' +
    '*core.PersistentVolumeClaimVolumeSource,RBD rbd *core.RBDVolumeSource,Quobyte quobyte ' +
    '*core.QuobyteVolumeSource,FlexVolume flexVolume *core.FlexVolumeSource,Cinder cinder ' +
    '*core.CinderVolumeSource,CephFS cephfs *core.CephFSVolumeSource,Flocker flocker ' +
    '*core.FlockerVolumeSource,DownwardAPI downwardAPI *core.DownwardAPIVolumeSource,FC fc ' +
    '*core.FCVolumeSource,AzureFile azureFile *core.AzureFileVolumeSource,ConfigMap configMap ' +
    '*core.ConfigMapVolumeSource,VsphereVolume vsphereVolume *core.VsphereVirtualDiskVolumeSource,AzureDisk ' +
    'azureDisk *core.AzureDiskVolumeSource,PhotonPersistentDisk photonPersistentDisk ' +
    '*core.PhotonPersistentDiskVolumeSource,Projected projected *core.ProjectedVolumeSource,PortworxVolume ' +
    'portworxVolume *core.PortworxVolumeSource,ScaleIO scaleIO *core.ScaleIOVolumeSource,StorageOS ' +
    'storageos *core.StorageOSVolumeSource,CSI csi *core.CSIVolumeSource,Ephemeral ephemeral ' +
    '*core.EphemeralVolumeSource,Image image *core.ImageVolumeSource',
  'core.VsphereVirtualDiskVolumeSource':
    'VolumePath volumePath s,FSType fsType s,StoragePolicyName storagePolicyName s,StoragePolicyID storagePolicyID s',
  'core.WeightedPodAffinityTerm': 'Weight weight i,PodAffinityTerm podAffinityTerm core.PodAffinityTerm',
  'core.WindowsSecurityContextOptions':
    'GMSACredentialSpecName gmsaCredentialSpecName *s,GMSACredentialSpec gmsaCredentialSpec ' +
    '*s,RunAsUserName runAsUserName *s,HostProcess hostProcess *b',
};
