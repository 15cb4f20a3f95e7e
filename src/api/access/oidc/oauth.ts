// Loaded on demand, and only what is used: the bundle leaves out the rest of the library.
export {
  ClientSecretBasic,
  None,
  ResponseBodyError,
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- for providers on loopback
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  clockSkew,
  clockTolerance,
  customFetch,
  discoveryRequest,
  processAuthorizationCodeResponse,
  processDiscoveryResponse,
  processRefreshTokenResponse,
  processUserInfoResponse,
  refreshTokenGrantRequest,
  userInfoRequest,
  validateAuthResponse,
} from 'oauth4webapi';
